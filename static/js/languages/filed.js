// A sort key: letters without marks or case, as on the server.

export const filed = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
