// This key also encrypts the signing keys in the template database.
export const SECRET_KEY = 'a secret key for tests only: 0123456789abcdef';
