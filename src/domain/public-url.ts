/** The fact by which who makes links in e-mails knows where people reach the service: serve tells it at its start. */
export const PUBLIC_URL_FACT = "public_url";
