// An authorization request that nothing is known of yet: as it was sent, sealed into the address for one browser, until
// somebody is signed in for whom its agent's document may be read (D49).
import { PENDING_REQUEST } from './lifetimes.ts';
import { bindingOf } from './pending-request.ts';
import type { Sealer } from './seal.ts';

/** A request on its way to being looked into. */
export interface UnreadRequest {
  clientId: string;
  /** Its parameters, form-encoded as they came. */
  text: string;
  /** When it arrived, in milliseconds since 1970: a sign-in after that satisfies prompt=login. */
  startedAt: number;
}

/** More than a good request can hold; what is sealed has to fit into an address, once more encoded. */
export const LONGEST_UNREAD = 8000;

type Sealed = UnreadRequest & { binding: string };

/** Seals a request for the browser that holds `browserId`. */
export const sealUnread = (sealer: Sealer, unread: UnreadRequest, browserId: string): string =>
  sealer.sealJson('unread', { ...unread, binding: bindingOf(browserId) } satisfies Sealed);

/** What became of a sealed request that a browser brought back. */
export type OpenedUnread =
  | { outcome: 'open' | 'expired'; unread: UnreadRequest }
  | { outcome: 'otherBrowser'; clientId: string }
  | { outcome: 'unreadable' };

/** Opens a sealed request for a browser that presents any of `browserIds`. */
export function openUnread(sealer: Sealer, sealed: string, browserIds: string[], now: Date): OpenedUnread {
  const opened = sealer.openJson<Sealed>('unread', sealed);
  if (opened === undefined) return { outcome: 'unreadable' };
  const { binding, ...unread } = opened;
  if (!browserIds.some((id) => bindingOf(id) === binding))
    return { outcome: 'otherBrowser', clientId: unread.clientId };
  const isOver = now.getTime() - unread.startedAt > PENDING_REQUEST * 1000;
  return { outcome: isOver ? 'expired' : 'open', unread };
}
