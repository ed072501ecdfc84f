// The tuned numbers of the lanes, each with the measurement behind it. Times are in milliseconds.
//
// Measured with `npm run bench:lanes` on two cores of an AMD EPYC that others were using, too, with PostgreSQL's durable
// settings: differences of a third mean nothing, those named here are far larger. Where nothing was measured it is said.

export interface Tuning {
  /**
   * Connections at most. 32 callers that pause, beside one that sends a statement of 50 ms again and again, half of them
   * are answered within: reads by one lane 104, by two 1.9, by four no sooner; writes by one 105, by two 16, four 22, eight 11.
   * Writes have four because a commit waits for the disk: on a slow one, several are under way (not measured).
   */
  count: number;
  /**
   * Statements in a batch at most: each holds its locks until the last is done. CPU-seconds per 1,000 statements, here
   * and in PostgreSQL, 32 callers: reads one at a time 0.026 + 0.029, twelve 0.005 + 0.006, fifty 0.003 + 0.005; writes
   * 0.289 + 0.273, 0.029 + 0.052, 0.011 + 0.014. With 200 callers two hundred would take half of what fifty take
   * (writes 0.002 + 0.007 instead of 0.006 + 0.015), and locks would be held by four times as many. Of the whole service
   * twelve and fifty cost the same (ADR 5): so many seldom come together.
   */
  batch: number;
  /**
   * A batch may take so long before the next one goes around it. Beside 50 ms as above, half of the reads are answered
   * within 1.3 with a patience of 2, within 1.9 with one of 10, within 102 with one of 50; writes 14, 22 and 112. Without
   * such a neighbour 2 saves nothing, and it would open lanes at every commit of a slow disk. Of the whole service 4, 10 and 30 cost
   * the same (ADR 5).
   */
  patience: number;
  /**
   * A statement may wait so long for a lock: those in its batch wait too. A table locked beside 32 readers: the slowest of
   * them was answered after 715 with 500, after 2,099 with 2,000. With `grants` locked under the whole service the slowest refusal
   * came after 2,100, and no other request took a second (ADR 5). Longer for writes: writers of one row wait for each other,
   * which is over when one small transaction is. Longer than a migration's locks, which are gone sooner than this.
   */
  lockTimeout: number;
  /**
   * A statement that waited in vain is refused at once for so long, and then tried once. Beside the locked table, of a
   * hundred reads the last was answered after 231 with it, after 512 without. For reads: only a locked table holds them up,
   * so the next ones would fare no better; a write may have met one locked row. 0: never.
   */
  rest: number;
  /**
   * From here on a batch was slow, and the next ones are smaller, so that they end in time. Not measured but chosen: well above
   * what a commit takes on a slow disk or with a far replica, which is no shorter for a small batch. Of fifty statements of
   * half a second the first batch is given up; smaller ones are answered (lanes-faults.test.ts).
   */
  slow: number;
  /**
   * A statement may wait so long for a free lane, or for the first one to open. Chosen, not measured: half of the time that the service
   * gives a statement (10 s), so that who is refused knows while somebody still waits for the answer.
   */
  queueTimeout: number;
  /** After an error PostgreSQL may take so long to be ready again. Chosen as `queueTimeout` was: it takes less than one. */
  silence: number;
  /**
   * Until another lane is asked for again after one could not be opened, while others carry on. Chosen, not measured: one attempt a
   * second is nothing to PostgreSQL, and a refusal is for want of connections, which seldom come back sooner.
   */
  pauseAfterRefusal: number;
}

const BOTH = {
  batch: 50,
  patience: 10,
  slow: 2_000,
  queueTimeout: 5_000,
  silence: 5_000,
  pauseAfterRefusal: 1_000,
};

/** One connection carries all reads, the second goes around what takes long. */
export const READ_LANES: Tuning = { ...BOTH, count: 2, lockTimeout: 500, rest: 1_000 };

export const WRITE_LANES: Tuning = { ...BOTH, count: 4, lockTimeout: 2_000, rest: 0 };
