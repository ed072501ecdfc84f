// Connections on their way from the primary to a worker: none is left open that no worker will ever take.
import type { Worker } from 'node:cluster';

interface Handle {
  close(): void;
}

/** The channel to a worker, as node:cluster uses it: it offers a connection, and the worker acknowledges. */
interface Channel {
  send(message: { act?: string; seq?: number }, handle?: Handle, ...rest: unknown[]): boolean;
  on(
    event: 'internalMessage',
    listener: (message: { act?: string; ack?: number; accepted?: boolean }) => void,
  ): void;
}

/**
 * Node keeps a connection open on the primary's side until a worker has taken it, and forgets it in two cases: when the
 * worker dies before it answers, and when it refuses because it is closing and so is everybody else. The client would
 * wait for ever; so the connection is closed, which is what happens to it with a single process.
 * @returns what to call with each worker, before it is offered anything
 */
export function watchConnections(): (worker: Worker) => void {
  const listening = new Set<Worker>();
  /** Offers without an answer yet, by their sequence number. */
  const offers = new Map<number | undefined, { worker: Worker; handle: Handle }>();
  const refused = new Set<Handle>();

  const hangUpIfAlone = (): void => {
    if (listening.size > 0) return;
    for (const handle of refused) handle.close();
    refused.clear();
  };

  return (worker) => {
    // The system refused a process: there is no channel, and nothing to offer.
    if (worker.process.pid === undefined) return;
    const channel = worker.process as unknown as Channel;
    const send = channel.send.bind(channel);
    channel.send = (message, handle, ...rest) => {
      if (message.act === 'newconn' && handle !== undefined) {
        refused.delete(handle);
        offers.set(message.seq, { worker, handle });
      }
      return send(message, handle, ...rest);
    };
    channel.on('internalMessage', ({ act, ack, accepted }) => {
      if (act === 'close') listening.delete(worker);
      const offer = ack === undefined ? undefined : offers.get(ack);
      if (offer !== undefined) {
        offers.delete(ack);
        // Node's own listener came first: what is refused may be offered to somebody else already.
        const isOffered = [...offers.values()].some(({ handle }) => handle === offer.handle);
        if (accepted === false && !isOffered) refused.add(offer.handle);
      }
      hangUpIfAlone();
    });
    worker.once('listening', () => listening.add(worker));
    worker.once('exit', () => {
      listening.delete(worker);
      for (const [seq, offer] of offers) {
        if (offer.worker !== worker) continue;
        offers.delete(seq);
        offer.handle.close();
      }
      hangUpIfAlone();
    });
  };
}
