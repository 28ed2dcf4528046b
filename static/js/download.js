// A link that downloads a vocabulary opens its licence in a dialog; then the page counts with the vocabulary.

document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("[data-download]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { request } = await import("./picker/request.js");
  request(link.href, () => {
    const form = document.getElementById("lab");
    if (form) form.requestSubmit();
    else location.reload();
  });
});
