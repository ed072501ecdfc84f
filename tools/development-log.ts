// The log of development: one readable line per event, in colour on a terminal.
import pretty from 'pino-pretty';

/** Written at once, so that a line stands before what is printed after it. */
export const openDevelopmentLog = () =>
  pretty({
    colorize: process.stdout.isTTY === true,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
    sync: true,
    errorLikeObjectKeys: ['err'], // `error` is a code, and would take a line of its own
    // What the line of a request says in words.
    ignore: 'method,route,status,milliseconds',
    messageFormat: ({ msg, method, route, status, milliseconds }) =>
      msg === 'request' ? `${method} ${route} ${status} in ${milliseconds} ms` : String(msg),
  });
