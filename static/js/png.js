// Save a picture that the server draws as SVG as PNG too, painted here at twice its size.

const [SCALE, LARGEST] = [2, 16_000]; // LARGEST: pixels of a side that every browser can paint

function requested({ dataset: { png, format } }) {
  if (!format) return fetch(png);
  const body = new FormData(document.getElementById("lab"));
  body.set("format", format);
  return fetch(png, { method: "POST", body });
}

async function painted(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(SCALE, LARGEST / image.width, LARGEST / image.height);
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width * scale, height: image.height * scale });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

async function save(button) {
  const answer = await requested(button);
  if (!answer.ok) throw new Error(`The picture could not be drawn (${answer.status}).`);
  const name = /filename="(.*)\.svg"/.exec(answer.headers.get("Content-Disposition"))?.[1] ?? "tokens";
  const href = URL.createObjectURL(await painted(await answer.text()));
  Object.assign(document.createElement("a"), { href, download: `${name}.png` }).click();
  setTimeout(() => URL.revokeObjectURL(href));
}

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-png]");
  if (!button) return;
  save(button).catch((error) => {
    document.getElementById("said").textContent = error.message;
  });
});
