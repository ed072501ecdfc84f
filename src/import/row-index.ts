// Finds repeated keys among millions of rows.
import { hash } from 'node:crypto';

const MAX_LOAD_FACTOR = 0.75;
const MIN_CAPACITY = 4096;

export interface RowIndex {
  /** Returns the earlier row with the same key, if any. */
  add(key: string, row: number): number | undefined;
}

/**
 * Creates an open-addressing hash table. A `Map` of strings would use five times as much memory. Keys are compared by
 * 64 bits of their SHA-256 hashes. A million keys have a false match with a probability of 3 × 10⁻⁸.
 * @param expected number of keys for which memory is reserved
 */
export function createRowIndex(expected: number): RowIndex {
  let capacity = Math.max(MIN_CAPACITY, Math.ceil(expected / MAX_LOAD_FACTOR) + 1);
  let slots = new Uint32Array(capacity * 3); // each slot holds two halves of a hash, and a row number or 0
  let used = 0;

  function findSlot(high: number, low: number): number {
    for (let index = low % capacity; ; index = (index + 1) % capacity) {
      const slot = index * 3;
      if (slots[slot + 2] === 0 || (slots[slot] === high && slots[slot + 1] === low)) return slot;
    }
  }
  function grow(): void {
    const former = slots;
    capacity *= 2;
    slots = new Uint32Array(capacity * 3);
    for (let slot = 0; slot < former.length; slot += 3)
      if (former[slot + 2] !== 0)
        slots.set(former.subarray(slot, slot + 3), findSlot(former[slot] ?? 0, former[slot + 1] ?? 0));
  }
  return {
    add: (key, row) => {
      const digest = hash('sha256', key, 'buffer');
      const [high, low] = [digest.readUInt32LE(0), digest.readUInt32LE(4)];
      const slot = findSlot(high, low);
      const found = slots[slot + 2] ?? 0;
      if (found !== 0) return found === row ? undefined : found;
      slots.set([high, low, row], slot);
      used += 1;
      if (used > capacity * MAX_LOAD_FACTOR) grow();
      return undefined;
    },
  };
}
