// The nil UUID, for rows without an account.

/** `user_id` can't be null because Citus distributes tables by this column. */
export const NIL_USER_ID = '00000000-0000-0000-0000-000000000000';
