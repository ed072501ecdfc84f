// The secret of every service that tests start, and of the signing keys that those services find.
export const SECRET_KEY = 'a secret key for tests only: 0123456789abcdef';
