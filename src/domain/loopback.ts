const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** Whether a host is this machine, by its name or address; an IPv6 one also as URLs have it, in brackets. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host.replace(/^\[(.*)\]$/, "$1"));
