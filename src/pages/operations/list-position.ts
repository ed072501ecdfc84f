// Where a page of a list begins, as it travels in an address: a moment and an id. Keyset pagination: no row is counted
// past, and none is shown twice because another was added meanwhile.

/** Writes a position into an address. */
export const positionText = ({ at, id }: { at: Date; id: string }): string => `${at.getTime()}.${id}`;

/**
 * Reads a position; undefined, and with it the beginning of the list, when there is none or it was tampered with.
 * @param isId whether a text can be an id of this list
 */
export function readPosition(
  text: string | undefined,
  isId: (id: string) => boolean,
): { at: Date; id: string } | undefined {
  const { at, id } = /^(?<at>\d{1,15})\.(?<id>[A-Za-z0-9_-]{1,64})$/.exec(text ?? '')?.groups ?? {};
  return at === undefined || id === undefined || !isId(id) ? undefined : { at: new Date(Number(at)), id };
}
