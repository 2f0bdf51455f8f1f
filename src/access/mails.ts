import type { Role } from "../../schemas/role.ts";
import type { MailContent } from "../ports/mail.ts";
import { mailContent } from "./mail-words.ts";

const MAY: Readonly<Record<Role, string>> = {
  owner: "manage everything, people and keys included",
  editor: "change sources, alerts and webhooks",
  viewer: "look at everything",
};

const NOT_YOU = "If this was not you, you need do nothing: without the link above nothing happens.";

export const invitationMail = (url: string, role: Role): MailContent =>
  mailContent({
    subject: "You are invited to Signal Optimization Service",
    paragraphs: [`You are invited as ${role}: you may ${MAY[role]}. The link holds for seven days.`],
    action: { label: "Accept the invitation", url },
    note: "You get this e-mail because somebody invited this address. If you expect no invitation, ignore it.",
  });

export const firstOwnerMail = (url: string): MailContent =>
  mailContent({
    subject: "Set up Signal Optimization Service",
    paragraphs: ["You are to be the first owner of this installation. The link holds for seven days."],
    action: { label: "Set your password", url },
    note: "You get this e-mail because OWNER_EMAIL names this address.",
  });

export const requestedMail = (): MailContent =>
  mailContent({
    subject: "We have your access request",
    paragraphs: ["Thank you. Somebody looks at it within 24 hours, and you hear by e-mail."],
    note: "You get this e-mail because somebody asked for access with this address. If it was not you, ignore it.",
  });

export const rejectedMail = (note: string | null): MailContent =>
  mailContent({
    subject: "Your access request was declined",
    paragraphs: ["We cannot give you access at this time.", ...(note === null ? [] : [note])],
    note: "You get this e-mail because you asked for access with this address.",
  });

export const requestWaitsMail = (url: string, email: string, useCase: string): MailContent =>
  mailContent({
    subject: `Access request from ${email}`,
    paragraphs: ["Somebody asks for access, and is promised an answer within 24 hours:", useCase],
    action: { label: "Review it", url },
    note: "You get this e-mail because you are an owner.",
  });

export const requestOverdueMail = (url: string, email: string): MailContent =>
  mailContent({
    subject: `Overdue: access request from ${email}`,
    paragraphs: [`${email} was promised an answer within 24 hours. That time is over.`],
    action: { label: "Review it", url },
    note: "You get this e-mail because you are an owner.",
  });

export const resetMail = (url: string): MailContent =>
  mailContent({
    subject: "Set a new password",
    paragraphs: [
      "Somebody, probably you, asked for a new password. The link holds for 30 minutes, and works once.",
    ],
    action: { label: "Set a new password", url },
    note: NOT_YOU,
  });

export const noAccountMail = (url: string): MailContent =>
  mailContent({
    subject: "There is no account with this address",
    paragraphs: [
      "Somebody, probably you, asked for a new password, but nobody here has this address. Perhaps you were invited with another one.",
    ],
    action: { label: "Ask for access", url },
    note: "If this was not you, ignore it.",
  });

export const passwordChangedMail = (url: string): MailContent =>
  mailContent({
    subject: "Your password was changed",
    paragraphs: ["Your password was changed just now, and you were signed out everywhere else."],
    action: { label: "It was not you? Set a new password", url },
    note: "You get this e-mail whenever how you sign in changes.",
  });

export const secondFactorMail = (isOn: boolean, url: string): MailContent =>
  mailContent({
    subject: isOn ? "Two-factor authentication is on" : "Two-factor authentication is off",
    paragraphs: [
      isOn
        ? "From now on signing in takes a code from your app, too."
        : "From now on signing in takes only your password.",
    ],
    action: { label: "It was not you? Set a new password", url },
    note: "You get this e-mail whenever how you sign in changes.",
  });

export const linkedMail = (provider: string, linkUrl: string, resetUrl: string): MailContent =>
  mailContent({
    subject: `You can sign in with ${provider} now`,
    paragraphs: [
      `An account at ${provider} was linked to yours just now: whoever signs in there can sign in here as you.`,
      `If this was not you, set a new password at ${resetUrl}, and then remove what was linked.`,
    ],
    action: { label: "See what is linked", url: linkUrl },
    note: "You get this e-mail whenever how you sign in changes.",
  });

export const unlinkedMail = (provider: string, resetUrl: string): MailContent =>
  mailContent({
    subject: `You cannot sign in with ${provider} any more`,
    paragraphs: [`The link between an account at ${provider} and yours was removed just now.`],
    action: { label: "It was not you? Set a new password", url: resetUrl },
    note: "You get this e-mail whenever how you sign in changes.",
  });

export const confirmNewEmailMail = (url: string): MailContent =>
  mailContent({
    subject: "Confirm your new e-mail address",
    paragraphs: [
      "Somebody, probably you, wants to sign in with this address from now on. The link holds for an hour.",
    ],
    action: { label: "Confirm this address", url },
    note: NOT_YOU,
  });

export const confirmOldEmailMail = (url: string, next: string): MailContent =>
  mailContent({
    subject: "Confirm the change of your e-mail address",
    paragraphs: [
      `Somebody, probably you, wants to sign in with ${next} instead of this address. Both addresses have to confirm it. The link holds for an hour.`,
    ],
    action: { label: "Confirm the change", url },
    note: NOT_YOU,
  });
