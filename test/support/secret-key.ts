// `SECRET_KEY` of test services and of the template database's signing keys.
export const SECRET_KEY = 'a secret key for tests only: 0123456789abcdef';
