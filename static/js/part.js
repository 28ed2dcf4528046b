// Fetch a part of the page: first by the key of the last result; where the server no longer has that, with the whole form.
// So a megabyte is not sent again for each window that is scrolled to.

export const form = document.getElementById("lab");
export const result = document.getElementById("result");

function post(path, data) {
  return fetch(path, { method: "POST", body: data, headers: { "HX-Request": "true" } });
}

export async function part(path, values) {
  const whole = new FormData(form);
  for (const [name, value] of Object.entries(values)) whole.set(name, value);
  const light = new FormData();
  for (const [name, value] of whole) if (!["text", "file", "tokenizer"].includes(name)) light.append(name, value);
  light.set("key", result.querySelector(".result-view")?.dataset.key ?? "");
  let response = await post(path, light);
  if (response.status === 410) response = await post(path, whole);
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  return holder.content.firstElementChild;
}
