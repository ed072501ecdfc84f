// Unicode normalization of texts from outside, bounded: its cost grows with the square of the combining marks in a row.

/** Longer texts exceed the limit of every field that is normalized: 1,024 characters of a password in UTF-8. */
const MAX_BYTES = 4096;

/** The text in a normal form. One longer than 4,096 bytes is returned as it is, for its field's length check to refuse. */
export const normalized = (text: string, form: 'NFC' | 'NFD' = 'NFC'): string =>
  Buffer.byteLength(text) > MAX_BYTES ? text : text.normalize(form);
