// The nil UUID, used as user_id in rows that belong to no account.

/** user_id can't be null, because it is the distribution column on Citus. */
export const NIL_USER_ID = '00000000-0000-0000-0000-000000000000';
