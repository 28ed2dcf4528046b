// Fetch a part of the page. A short text is sent along. A long one is not, so that a megabyte is not sent again for each
// window that is scrolled to: the key of the last result names it, and if the server no longer has that, the whole form
// follows.

const SHORT = 16_384; // characters

export const form = document.getElementById("lab");
export const result = document.getElementById("result");

function post(path, data) {
  return fetch(path, { method: "POST", body: data, headers: { "HX-Request": "true", "HX-Request-Type": "partial" } });
}

export async function part(path, values) {
  const whole = new FormData(form);
  for (const [name, value] of Object.entries(values)) whole.set(name, value);
  const light = new FormData();
  for (const [name, value] of whole) if (!["text", "file", "tokenizer"].includes(name)) light.append(name, value);
  light.set("key", result.querySelector(".result-view")?.dataset.key ?? "");
  // With the key, the server need not do the work again where it has the result.
  whole.set("key", light.get("key"));
  const long = Boolean(whole.get("file")?.size) || (whole.get("text")?.length ?? 0) > SHORT;
  let response = await post(path, long ? light : whole);
  if (long && response.status === 410) response = await post(path, whole);
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  return holder.content.firstElementChild;
}
