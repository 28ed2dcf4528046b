// A text as it is filed: by letters alone, without marks or case, as the server sorts and seeks.

export const filed = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
