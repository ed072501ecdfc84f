// Initial epochs of accounts and clients that may have been deleted and inserted again.

/**
 * SQL for the number of seconds since 2020. The number is higher than a deleted row's epoch, so old grants stay
 * invalid.
 */
export const initialEpochSql = (now: string): string =>
  `(extract(epoch from ${now}::timestamptz) - 1577836800)::int`;
