// Parses list queries: search term, state filter and position.
import type { FastifyRequest } from 'fastify';
import { readQuery } from '../../http/parameters.ts';
import type { ListQuery } from '../../store/admin-lists.ts';
import { parsePosition } from '../../web/list-position.ts';

export const MAX_SEARCH_LENGTH = 254;

export function parseListQuery<State extends string>(
  request: FastifyRequest,
  states: readonly State[],
  isId: (id: string) => boolean,
): ListQuery<State | 'any'> & { state: State | 'any' } {
  const query = readQuery(request);
  const position = parsePosition(query.get('after'), isId);
  return {
    search: query.get('search')?.trim().slice(0, MAX_SEARCH_LENGTH) || undefined,
    state: states.find((one) => one === query.get('state')) ?? 'any',
    after: position && { createdAt: position.at, id: position.id },
  };
}
