// One count of requests for one host, however many workers it has (D59): the workers ask, the primary counts for all.
import type { Worker } from 'node:cluster';

/** Milliseconds; fixed, and begins with an address's first request (D25). */
export const WINDOW = 60_000;
/** Addresses counted at a time where no Redis is asked; the longest unseen are forgotten first. */
export const LOCAL_ADDRESSES = 50_000;
/** How long a request waits for the primary, in milliseconds: one that hangs must not hold up everybody. */
const PATIENCE = 1_000;

/** Requests of an address in its window so far, this one included, and how many milliseconds of it are left. */
interface Counted {
  current: number;
  ttl: number;
}

/** Addresses of the requests of one moment, in the order in which they came. */
interface Question {
  sesame: 'count';
  id: number;
  addresses: string[];
}

interface Answer {
  sesame: 'counted';
  id: number;
  counts: Counted[];
}

const is = <Message extends Question | Answer>(
  kind: Message['sesame'],
  message: unknown,
): message is Message =>
  typeof message === 'object' && message !== null && 'sesame' in message && message.sesame === kind;

/** Counts the requests of addresses. */
function openWindows(): (address: string) => Counted {
  const windows = new Map<string, { current: number; end: number }>();
  return (address) => {
    const now = performance.now();
    const known = windows.get(address);
    const window = known === undefined || known.end <= now ? { current: 0, end: now + WINDOW } : known;
    window.current += 1;
    // The last one in the map is the one seen last.
    windows.delete(address);
    windows.set(address, window);
    if (windows.size > LOCAL_ADDRESSES) {
      const [unseen = ''] = windows.keys();
      windows.delete(unseen);
    }
    return { current: window.current, ttl: window.end - now };
  };
}

/**
 * The primary's side. The counts are its own, so they outlive any worker.
 * @returns what to call with each worker
 */
export function countForWorkers(): (worker: Worker) => void {
  const count = openWindows();
  return (worker) => {
    worker.on('message', (message: unknown) => {
      if (!is<Question>('count', message)) return;
      const answer: Answer = { sesame: 'counted', id: message.id, counts: message.addresses.map(count) };
      // A worker that has died meanwhile needs no answer.
      if (worker.isConnected()) worker.send(answer, () => {});
    });
  };
}

type Done = (error: null, counted: Counted) => void;

/** A request that waits for its count. */
interface Asking {
  address: string;
  max: number;
  done: Done;
}

/**
 * A worker's side, as the limiter wants its store: what is asked at one moment goes out in one message. An address that
 * is past its limit is refused here until its window ends.
 */
export function hostStore() {
  const exceeded = new Map<string, number>();
  const asked = new Map<number, { requests: Asking[]; late: NodeJS.Timeout }>();
  let next: Asking[] = [];
  let id = 0;
  /** Should the primary not answer: it is gone, and this process about to follow. */
  const alone = openWindows();

  process.on('message', (message: unknown) => {
    if (is<Answer>('counted', message)) settle(message.id, message.counts);
  });

  function settle(question: number, counts?: Counted[]): void {
    const { requests = [], late } = asked.get(question) ?? {};
    clearTimeout(late);
    asked.delete(question);
    for (const [index, { address, max, done }] of requests.entries()) {
      const counted = counts?.[index] ?? alone(address);
      if (counted.current > max) refuse(address, performance.now() + counted.ttl);
      done(null, counted);
    }
  }

  function refuse(address: string, until: number): void {
    exceeded.set(address, until);
    if (exceeded.size > LOCAL_ADDRESSES) {
      const [oldest = ''] = exceeded.keys();
      exceeded.delete(oldest);
    }
  }

  function ask(): void {
    const question = ++id;
    const late = () => settle(question);
    asked.set(question, { requests: next, late: setTimeout(late, PATIENCE).unref() });
    const addresses = next.map(({ address }) => address);
    next = [];
    try {
      process.send?.(
        { sesame: 'count', id: question, addresses } satisfies Question,
        (error: Error | null) => {
          if (error) late();
        },
      );
    } catch {
      late();
    }
  }

  return class {
    incr(address: string, done: Done, _window: number, max: number): void {
      const left = (exceeded.get(address) ?? 0) - performance.now();
      if (left > 0) {
        done(null, { current: max + 1, ttl: left });
        return;
      }
      exceeded.delete(address);
      if (next.push({ address, max, done }) === 1) setImmediate(ask);
    }
    child() {
      return this;
    }
  };
}
