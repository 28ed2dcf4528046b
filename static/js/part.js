// Fetch a part of the page, with the whole form: no server need remember a text.

export const form = document.getElementById("lab");
export const result = document.getElementById("result");

export async function part(path, values) {
  const body = new FormData(form);
  for (const [name, value] of Object.entries(values)) body.set(name, value);
  const headers = { "HX-Request": "true", "HX-Request-Type": "partial" };
  const response = await fetch(path, { method: "POST", body, headers });
  const holder = document.createElement("template");
  holder.innerHTML = await response.text();
  return holder.content.firstElementChild;
}
