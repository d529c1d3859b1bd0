SELECT id FROM factset WHERE digest = :digest;
