// List positions in query parameters: the time and id of the last entry on the previous page.

export const formatPosition = ({ at, id }: { at: Date; id: string }): string => `${at.getTime()}.${id}`;

/**
 * Returns undefined (the start of the list) if the position is missing or malformed.
 * @param isId whether a string is a well-formed id of this list
 */
export function parsePosition(
  text: string | undefined,
  isId: (id: string) => boolean,
): { at: Date; id: string } | undefined {
  const { at, id } = /^(?<at>\d{1,15})\.(?<id>[\x21-\x7e]{1,500})$/.exec(text ?? '')?.groups ?? {};
  return at === undefined || id === undefined || !isId(id) ? undefined : { at: new Date(Number(at)), id };
}
