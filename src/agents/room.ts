// How much may be read at once, and for whom: whoever asks for slow documents takes nobody else's room.
import { householdOf } from '../accounts/limits.ts';

/** For whom a document is read: who is signed in, or the network that a pushed request comes from. */
export type Asker = { userId: string } | { address: string };

/** At once by all processes of a host (D49), and at most for one asker in each of them. */
const AT_ONCE = 10;
const PER_ASKER = 2;

/** What a person or a network is counted by. */
export const nameOf = (asker: Asker): [kind: string, name: string] =>
  'userId' in asker ? ['account', asker.userId] : ['network', householdOf(asker.address)];

/** Opens the room that a process has. @param processes how many of them share this host */
export function openRoom(processes: number) {
  const most = Math.max(1, Math.floor(AT_ONCE / processes));
  // Half of it is left to those who are signed in, and to others than one asker, wherever there is more than one place.
  const half = Math.max(1, most >> 1);
  const inside: { kind: string; name: string }[] = [];
  return {
    /** Takes a place. @returns what gives it back; undefined where there is none for this asker */
    enter(asker: Asker): (() => void) | undefined {
      const [kind, name] = nameOf(asker);
      const count = (counts: (one: { kind: string; name: string }) => boolean) =>
        inside.filter(counts).length;
      if (inside.length >= most) return undefined;
      if (count((one) => one.kind === kind && one.name === name) >= Math.min(PER_ASKER, half))
        return undefined;
      if (kind === 'network' && count((one) => one.kind === kind) >= half) return undefined;
      const place = { kind, name };
      inside.push(place);
      return () => {
        inside.splice(inside.indexOf(place), 1);
      };
    },
  };
}
