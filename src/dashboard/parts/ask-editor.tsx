/** For who may only look: whom to ask for what is done here, such as `save one`. */
export const AskEditor = ({ to }: { to: string }) => <>To {to}, ask an editor or an owner of the account.</>;
