// How long a password may be, in characters (NIST SP 800-63B §3.1.1.2: at least 8, and room for 64 and more).

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 1024;
