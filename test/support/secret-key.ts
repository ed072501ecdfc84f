// `SECRET_KEY` for test services. It also encrypts the signing keys in the template database.
export const SECRET_KEY = 'a secret key for tests only: 0123456789abcdef';
