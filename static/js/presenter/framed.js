// The frame in which a lecture shows this page, with the item as its property, or null. The page of the lecture then has
// the full screen, the hall and the window of the speaker.

export const frame = window.frameElement?.item ? window.frameElement : null;
