// Tests call outgoing functions directly, where no request holds a slot.
import type { OffSlot } from '../../src/outgoing/guarded-request.ts';

export const OFF_SLOT = {} as OffSlot;
