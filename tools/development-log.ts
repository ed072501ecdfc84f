// The development log: one line per event.
import pretty from 'pino-pretty';

/** Synchronous, to keep lines in order with other output. */
export const openDevelopmentLog = () =>
  pretty({
    colorize: process.stdout.isTTY === true,
    translateTime: 'SYS:HH:MM:ss',
    // `error` isn't listed because it is an error code and would be printed on a separate line.
    errorLikeObjectKeys: ['err'],
    singleLine: true,
    sync: true,
    // These fields are already part of the message.
    ignore: 'method,route,status,milliseconds',
    messageFormat: ({ msg, method, route, status, milliseconds }) =>
      msg === 'request' ? `${method} ${route} ${status} in ${milliseconds} ms` : String(msg),
  });
