// Choosing a tokenizer opens its vocabulary at once.

document.addEventListener("change", ({ target }) => {
  if (target.matches(".vocabulary-choice select") && target.value) target.form.requestSubmit();
});
