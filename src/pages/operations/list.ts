// What is asked of an operators' list, by its address: a search, a state, and where the page begins (a moment and an id:
// keyset pagination, so that no row is counted past, and none is shown twice because another was added meanwhile).
import type { FastifyRequest } from 'fastify';
import { queryOf } from '../../http/parameters.ts';
import type { Asked } from '../../store/list-pages.ts';

/** What is searched for is the beginning of a name or an email, neither of which is longer. */
export const SEARCH_MAX = 254;

/** @param isId whether a text can be an id of this list */
export function askedOf<State extends string>(
  request: FastifyRequest,
  states: readonly State[],
  isId: (id: string) => boolean,
): Asked<State | 'any'> & { state: State | 'any' } {
  const query = queryOf(request);
  const position = readPosition(query.get('after'), isId);
  return {
    search: query.get('search')?.trim().slice(0, SEARCH_MAX) || undefined,
    state: states.find((one) => one === query.get('state')) ?? 'any',
    after: position && { createdAt: position.at, id: position.id },
  };
}

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
  const { at, id } = /^(?<at>\d{1,15})\.(?<id>[\x21-\x7e]{1,500})$/.exec(text ?? '')?.groups ?? {};
  return at === undefined || id === undefined || !isId(id) ? undefined : { at: new Date(Number(at)), id };
}
