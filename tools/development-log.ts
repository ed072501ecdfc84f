// The development log: one human-readable line per event, in color on a terminal.
import pretty from 'pino-pretty';

/** Writes synchronously, so that log lines and other output stay in order. */
export const openDevelopmentLog = () =>
  pretty({
    colorize: process.stdout.isTTY === true,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
    errorLikeObjectKeys: ['err'], // `error` is a code, which would be printed on a separate line
    // The message for a request already contains these fields.
    ignore: 'method,route,status,milliseconds',
    messageFormat: ({ msg, method, route, status, milliseconds }) =>
      msg === 'request' ? `${method} ${route} ${status} in ${milliseconds} ms` : String(msg),
  });
