// SECRET_KEY of test services, which also encrypts the signing keys of the template database.
export const SECRET_KEY = 'a secret key for tests only: 0123456789abcdef';
