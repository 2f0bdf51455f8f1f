import { z } from "zod";

/** RFC 5321, section 4.5.3.1. */
const LOCAL_PART_MAX = 64;
const ADDRESS_MAX = 254;
/** A dot-atom of RFC 5322, section 3.2.3: quoted ones are nobody's, and others than ASCII few servers take. */
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** What a URL would take for something else than its host. */
const NO_DOMAIN = /[\s\p{Cc}\p{Cf}/\\?#@:%[\]]/u;
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** In lower case, other scripts than Latin as Punycode (IDNA, UTS 46); null: it is no name of a host on the Internet. */
const asciiDomain = (text: string): string | null => {
  if (NO_DOMAIN.test(text)) return null;
  const domain = URL.parse(`https://${text}`)?.hostname ?? "";
  return DOMAIN.test(domain) ? domain : null;
};

/** One address in the one way of writing it, so that those of one mailbox are equal; null: it is none, or several. */
const canonical = (text: string): string | null => {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0)).toLowerCase();
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === null || local.length > LOCAL_PART_MAX || !LOCAL_PART.test(local)) return null;
  const address = `${local}@${domain}`;
  return address.length > ADDRESS_MAX ? null : address;
};

/** The e-mail address of one person. Without regard to case, and to how a domain in another script is written. */
export const Email = z
  .string()
  .trim()
  .max(ADDRESS_MAX)
  .transform((text, context) => {
    const address = canonical(text);
    if (address !== null) return address;
    context.addIssue({ code: "custom", message: "must be one e-mail address, like jane@example.org" });
    return z.NEVER;
  })
  .brand<"Email">();
export type Email = z.infer<typeof Email>;

/** An address that was taken as `Email` before: in what is stored, told and answered. */
export const KnownEmail = z.string().max(ADDRESS_MAX).brand<"Email">();
