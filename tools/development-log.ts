// The development log: one line per event.
import pretty from 'pino-pretty';

/** The log is written synchronously to keep its lines in order with other output. */
export const openDevelopmentLog = () =>
  pretty({
    colorize: process.stdout.isTTY === true,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
    errorLikeObjectKeys: ['err'], // `error` is a code, which would be on a separate line
    // These fields are omitted because the message contains them.
    ignore: 'method,route,status,milliseconds',
    messageFormat: ({ msg, method, route, status, milliseconds }) =>
      msg === 'request' ? `${method} ${route} ${status} in ${milliseconds} ms` : String(msg),
  });
