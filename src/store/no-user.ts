// The nil UUID in place of an account.

/** The user_id of rows that concern no account: the column decides on which node a row is, so it can't be null. */
export const NO_USER = '00000000-0000-0000-0000-000000000000';
