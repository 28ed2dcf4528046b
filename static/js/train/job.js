// Remembers the training that is looked at, so that one can leave the page and come back.

localStorage.setItem("training", location.pathname);
