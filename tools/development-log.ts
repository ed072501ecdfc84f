// The development log: one line per event.
import pretty from 'pino-pretty';

/** Synchronous, to keep lines in order with other output. */
export const openDevelopmentLog = () =>
  pretty({
    colorize: process.stdout.isTTY === true,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
    errorLikeObjectKeys: ['err'], // `error` is a code, which would be on a separate line
    // Already part of the message.
    ignore: 'method,route,status,milliseconds',
    messageFormat: ({ msg, method, route, status, milliseconds }) =>
      msg === 'request' ? `${method} ${route} ${status} in ${milliseconds} ms` : String(msg),
  });
