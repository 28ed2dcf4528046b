// The slide behind the last step of an encoding: its tokens with their ids, which are what the model gets.

const find = (id) => document.getElementById(id);

function tileOf(piece, id) {
  const tile = document.createElement("b");
  tile.className = `t${id % 9} with-id`;
  // Bytes that are no text of their own come as such.
  const spelled = piece.bytes_hex ? piece.bytes_hex.toUpperCase().match(/../g).join("\u00a0") : piece;
  [tile.dataset.id, tile.dataset.text] = [id, spelled];
  tile.append(spelled.replaceAll(" ", "␣").replaceAll("\n", "↵"), Object.assign(document.createElement("small"), { textContent: id }));
  return tile;
}

// Show it, and say whether there is one: training has none, nor has a toy example.
export async function showIds() {
  const fields = new FormData(find("lab") ?? undefined);
  if (fields.get("branch") !== "encode") return false;
  const body = JSON.stringify({ text: fields.get("text"), tokenizer: fields.get("tokenizer") });
  const answer = await fetch("/tokenize", { method: "POST", body, headers: { "Content-Type": "application/json" } }).catch(() => null);
  if (!answer?.ok) return false;
  const { ids, pieces } = await answer.json();
  const row = Object.assign(document.createElement("div"), { className: "row" });
  row.append(...ids.map((id, at) => tileOf(pieces[at], id)));
  const rows = Object.assign(document.createElement("div"), { className: "rows" });
  rows.append(row);
  find("stage").querySelector(".picture").replaceChildren(rows);
  find("stage").querySelector(".evidence")?.replaceChildren();
  find("caption").textContent = ids.length === 1 ? "The model gets one number." : `The model gets ${ids.length.toLocaleString("en")} numbers, and nothing else.`;
  return true;
}
