// Faults of agents' documents, remembered for a minute (D49): by each process for itself, and the latest thousand alone, so that
// nobody fills its memory.

const KEPT = 60_000;
const MOST = 1000;

export function rememberFaults<Fault>(now: () => Date) {
  const faults = new Map<string, { fault: Fault; until: number }>();
  return {
    of(clientId: string): Fault | undefined {
      const remembered = faults.get(clientId);
      if (remembered === undefined || remembered.until > now().getTime()) return remembered?.fault;
      faults.delete(clientId);
      return undefined;
    },
    add(clientId: string, fault: Fault): void {
      const [oldest] = faults.keys();
      if (faults.size >= MOST && oldest !== undefined) faults.delete(oldest);
      faults.set(clientId, { fault, until: now().getTime() + KEPT });
    },
  };
}
