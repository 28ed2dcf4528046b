// What is chosen in a picker of several tokenizers, as buttons that remove it again.

export function chips(root, select) {
  const holder = root.querySelector(".picked-ones");

  function show() {
    // Those that were there before keep their places.
    const before = [...holder.querySelectorAll("[data-unpick]")].map(({ dataset }) => dataset.unpick);
    const place = ({ value }) => (before.includes(value) ? before.indexOf(value) : before.length);
    const items = [...select.selectedOptions].sort((a, b) => place(a) - place(b)).map(({ value, text }) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: text, ariaLabel: `Remove ${text}` });
      button.dataset.unpick = value;
      const item = document.createElement("li");
      item.append(button);
      return item;
    });
    holder.replaceChildren(...items);
  }

  holder.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-unpick]");
    if (!button) return;
    const at = [...holder.children].indexOf(button.parentElement);
    for (const option of select.selectedOptions) if (option.value === button.dataset.unpick) option.selected = false;
    select.dispatchEvent(new Event("change", { bubbles: true }));
    (holder.children[at] ?? holder.lastElementChild)?.firstElementChild.focus();
  });
  select.addEventListener("change", show);
  select.form?.addEventListener("restored", show);
}
