/** As `stack.adopt`, of what is still being made: the stack ends it even if nobody comes to wait for it. */
export const adoptLater = <T>(
  stack: AsyncDisposableStack,
  making: Promise<T>,
  end: (made: T) => Promise<void>,
): Promise<T> => {
  const ending = making.then(
    (made) => () => end(made),
    () => async () => undefined,
  );
  stack.defer(async () => (await ending)());
  return making;
};
