// Asks the server for a part of the page: first by the key of what it has just cut, then, where it has
// forgotten that, with the whole form. A megabyte is so not sent again for each window that is scrolled to.

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
  light.set("key", result.querySelector(".sheet")?.dataset.key ?? "");
  let answer = await post(path, light);
  if (answer.status === 410) answer = await post(path, whole);
  const holder = document.createElement("template");
  holder.innerHTML = await answer.text();
  return holder.content.firstElementChild;
}
