// The way back to the hall for a phone that has left it to step by itself.

const code = sessionStorage.getItem("tokenarium-hall");
if (code) {
  const back = document.createElement("a");
  back.className = "press hall-back";
  back.href = `/hall/${code}`;
  back.textContent = `Back to hall ${code}`;
  document.querySelector(".masthead")?.append(back);
}
