// Where people land once they have gone: the landing page, which says what was done.

/** Where signing out leads. */
export const SIGNED_OUT = '/?signed-out=1';
/** Where deleting an account leads. */
export const DELETED = '/?deleted=1';
