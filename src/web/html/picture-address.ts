// Addresses of uploaded pictures: they hold the hash of the content, so that what is at one never changes.

export const PICTURES_PATH = '/pictures/';

/** The absolute address of the picture with this hash. */
export const pictureAddress = (baseUrl: string, hash: string): string => `${baseUrl}${PICTURES_PATH}${hash}`;
